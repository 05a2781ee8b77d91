"""The words about an embedding table, shared by the tabs that use one."""

EN = {
    "table": "Embedding table",
    "table_info": "Choose one, or type the id of any model on the Hugging Face Hub that has safetensors weights (org/name).",
    "table_asking": "Looking for a table…",
    "table_shape": "{rows} rows × {dim}",
    "table_size": "{dtype}, {mb} MB",
    "table_fetching": "Fetching {label}",
    "table_progress": "{done} of {total} MB",
    "table_opening": "opening…",
    "table_cancel": "Cancel",
    "table_fetch": "Fetch it",
    "table_again": "Try again",
    "loading": "Waiting for the table…",
    "norm": "norm",
    "token": "token",
    "copied": "Copied",
    "examples": "Examples",
}

ZH = {
    "table": "嵌入表",
    "table_info": "选一个，或输入 Hugging Face Hub 上任意带 safetensors 权重的模型 id（org/name）。",
    "table_asking": "正在寻找可用的表……",
    "table_shape": "{rows} 行 × {dim}",
    "table_size": "{dtype}，{mb} MB",
    "table_fetching": "正在下载 {label}",
    "table_progress": "{done} / {total} MB",
    "table_opening": "正在打开……",
    "table_cancel": "取消",
    "table_fetch": "下载",
    "table_again": "再试一次",
    "loading": "正在等待嵌入表……",
    "norm": "范数",
    "token": "token",
    "copied": "已复制",
    "examples": "示例",
}
