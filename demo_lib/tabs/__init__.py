"""The tabs, one module a room. gradio is imported here first, so that every way in gets the fast import."""

from demo_lib.startup import lean_import

with lean_import():
    import gradio.component_meta

# Nor does gradio write a .pyi file beside our own modules for each component class that we derive
gradio.component_meta.create_or_modify_pyi = lambda *_: None
