"""The looks: Gradio's theme, said in the design tokens of page.css, so that there is one place for each colour.

No font and no style comes from another host.
"""

from functools import cache

import gradio as gr

_ACCENT = gr.themes.Color(
    *("#effaf8", "#d8ece9", "#b3dcd7", "#82c6bf", "#4cada4", "#17897f", "#0b6b66", "#0a5955", "#0b4745", "#0c3938"),
    "#052423",
    name="ends",
)
_TOKENS = {
    "body_background_fill": "bg",
    "body_text_color": "ink",
    "body_text_color_subdued": "muted",
    "background_fill_primary": "surface",
    "background_fill_secondary": "sunken",
    "border_color_primary": "line",
    "border_color_accent": "accent",
    "border_color_accent_subdued": "line",
    "color_accent_soft": "accent-soft",
    "link_text_color": "accent",
    "link_text_color_hover": "accent",
    "link_text_color_active": "accent",
    "link_text_color_visited": "accent",
    "block_background_fill": "surface",
    "block_border_color": "line",
    "block_info_text_color": "muted",
    "block_label_background_fill": "surface",
    "block_label_text_color": "muted",
    "block_title_text_color": "muted",
    "panel_background_fill": "surface",
    "panel_border_color": "line",
    "code_background_fill": "sunken",
    "input_background_fill": "surface",
    "input_border_color": "line",
    "input_border_color_hover": "muted",
    "input_border_color_focus": "accent",
    "input_placeholder_color": "muted",
    "checkbox_background_color": "surface",
    "checkbox_background_color_selected": "accent",
    "checkbox_border_color": "muted",
    "checkbox_border_color_selected": "accent",
    "checkbox_label_background_fill": "surface",
    "checkbox_label_background_fill_hover": "sunken",
    "checkbox_label_background_fill_selected": "accent-soft",
    "checkbox_label_border_color": "line",
    "checkbox_label_border_color_selected": "accent",
    "checkbox_label_text_color": "ink",
    "checkbox_label_text_color_selected": "ink",
    "slider_color": "accent",
    "loader_color": "accent",
    "table_border_color": "line",
    "table_text_color": "ink",
    "table_even_background_fill": "surface",
    "table_odd_background_fill": "bg",
    "table_row_focus": "accent-soft",
    "accordion_text_color": "ink",
    "button_primary_background_fill": "accent",
    "button_primary_background_fill_hover": "accent",
    "button_primary_border_color": "accent",
    "button_primary_text_color": "accent-ink",
    "button_secondary_background_fill": "surface",
    "button_secondary_background_fill_hover": "sunken",
    "button_secondary_border_color": "line",
    "button_secondary_text_color": "ink",
    "error_background_fill": "surface",
    "error_border_color": "bad",
    "error_text_color": "bad",
    "error_icon_color": "bad",
}


@cache
def theme() -> gr.themes.Base:
    looks = gr.themes.Base(
        primary_hue=_ACCENT,
        secondary_hue=_ACCENT,
        neutral_hue=gr.themes.colors.slate,
        font=("var(--be-sans)",),
        font_mono=("var(--be-mono)",),
    )
    values = {name: f"var(--be-{token})" for name, token in _TOKENS.items()}
    return looks.set(
        **values,
        **{f"{name}_dark": value for name, value in values.items()},
        color_accent="var(--be-accent)",
        block_label_text_weight="500",
        block_title_text_weight="500",
        block_radius="var(--be-radius)",
        block_shadow="none",
        block_shadow_dark="none",
        container_radius="var(--be-radius)",
        input_radius="var(--be-radius)",
        input_shadow="none",
        input_shadow_focus="0 0 0 2px var(--be-accent-soft)",
        input_shadow_focus_dark="0 0 0 2px var(--be-accent-soft)",
        input_border_width="1px",
        input_border_width_dark="1px",
        button_border_width="1px",
        button_large_text_size="*text_md",
        button_large_text_weight="600",
        button_large_padding="8px 18px",
        button_large_radius="var(--be-radius)",
        button_medium_radius="var(--be-radius)",
        button_small_radius="var(--be-radius)",
        button_primary_shadow="none",
        button_secondary_shadow="none",
        section_header_text_weight="600",
    )
