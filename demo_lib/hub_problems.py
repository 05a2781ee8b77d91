"""What can go wrong between the app and the Hub, each in a sentence with what to do."""

import errno

from .problems import Problem

# What to do without the Hub: for a tokenizer, and for an embedding table
TOKENIZER = (
    "the models of the list work without it, and the tokenizers tab opens a tokenizer.json of your own.",
    "列表中的模型不需要它，“分词器”页也可以打开你自己的 tokenizer.json。",
)
TABLE = ("the tables of Gemma 3 270M and SmolLM2 come without it.", "Gemma 3 270M 和 SmolLM2 的表不需要它。")

# What to do about a model that cannot be used, on the Hub and in the folder that was named at the start
MODEL = ("choose another model", "请换一个模型")
FOLDER = ("name another folder with --table", "请用 --table 指定另一个文件夹")

# {model}, {filename}, {limit} (MB), and {otherwise} and {another}, of the above, are filled in
SENTENCES = {
    "gated": (
        "{model} is gated: accept its licence on the model's page and set HF_TOKEN to a token of that account.",
        "{model} 需要授权：请在模型页面接受许可协议，并把 HF_TOKEN 设为该账号的令牌。",
    ),
    "no_model": (
        "The Hub has no model {model}, or it is private: check the name, or set HF_TOKEN to a token that may read it.",
        "Hub 上没有模型 {model}，或者它是私有的：请检查名称，或把 HF_TOKEN 设为有读取权限的令牌。",
    ),
    "no_file": (
        "{model} has no {filename} on the Hub: choose another model, or open a tokenizer.json in the tokenizers tab.",
        "{model} 在 Hub 上没有 {filename}：请换一个模型，或在“分词器”页打开 tokenizer.json。",
    ),
    "token": (
        "The Hub does not accept the access token: set HF_TOKEN to a valid one, or remove it for public models.",
        "Hub 不接受这个访问令牌：请把 HF_TOKEN 设为有效的令牌；公开模型可以不设。",
    ),
    "forbidden": (
        "The Hub does not allow reading {model}: give the token in HF_TOKEN the right to, or choose another model.",
        "Hub 不允许读取 {model}：请给 HF_TOKEN 中的令牌加上权限，或换一个模型。",
    ),
    "rate": (
        "The Hub gets too many requests from here: wait a few minutes, or set HF_TOKEN for a higher limit.",
        "这里向 Hub 发出的请求太多：请等几分钟，或设置 HF_TOKEN 以提高上限。",
    ),
    "offline": (
        "HF_HUB_OFFLINE is set and {model} is not in the cache: {otherwise}",
        "设置了 HF_HUB_OFFLINE，而缓存里没有 {model}：{otherwise}",
    ),
    "network": (
        "The Hugging Face Hub cannot be reached: {otherwise}",
        "连不上 Hugging Face Hub：{otherwise}",
    ),
    "server": (
        "The Hugging Face Hub has a fault of its own: try again later; {otherwise}",
        "Hugging Face Hub 自身出错：请稍后再试；{otherwise}",
    ),
    "time": (
        "The Hugging Face Hub answers too slowly: try again later; {otherwise}",
        "Hugging Face Hub 响应太慢：请稍后再试；{otherwise}",
    ),
    "busy": (
        "Too many files are being fetched from the Hub at once: try again in a minute.",
        "同时从 Hub 获取的文件太多：请过一分钟再试。",
    ),
    "large": (
        "{filename} of {model} is larger than {limit} MB, the most that is read here: {another}.",
        "{model} 的 {filename} 超过了 {limit} MB 的读取上限：{another}。",
    ),
    "no_config": (
        "{model} has no {filename}: {another}.",
        "{model} 没有 {filename}：{another}。",
    ),
    "no_weights": (
        "{model} has no safetensors weights, the only kind that is read here: {another}.",
        "{model} 没有 safetensors 权重，而这里只读这一种：{another}。",
    ),
    "no_shard": (
        "{filename} of {model}, which its index names, is not on the Hub: choose another model.",
        "Hub 上缺少 {model} 的索引所列的 {filename}：请换一个模型。",
    ),
    "no_table": (
        "{model} has no embedding table under a name that is known here: {another}.",
        "{model} 里找不到名称已知的嵌入表：{another}。",
    ),
    "table_type": (
        "The embedding table of {model} is not stored as BF16, F16 or F32: choose the unquantised model.",
        "{model} 的嵌入表不是以 BF16、F16 或 F32 存储的：请选择未量化的原始模型。",
    ),
    "table_shape": (
        "The embedding table of {model} has not the shape that its config.json states: {another}.",
        "{model} 的嵌入表的形状与 config.json 所写的不符：{another}。",
    ),
    "table_flat": (
        "The embedding table of {model} has not two dimensions, rows and the numbers in a row: {another}.",
        "{model} 的嵌入表不是二维的（行和每行的数）：{another}。",
    ),
    "unknown_type": (
        "A tensor in {filename} of {model} has a type that is not known here: {another}.",
        "{model} 的 {filename} 中有一个张量的类型是这里不认识的：{another}。",
    ),
    "table_numbers": (
        "The embedding table of {model} has rows with what is not a number: {another}.",
        "{model} 的嵌入表中有些行含有不是数的值：{another}。",
    ),
    "table_short": (
        "The embedding table of {model} has fewer rows than its tokenizer has tokens, so they are not of one model: "
        "{another}.",
        "{model} 的嵌入表的行数少于它的分词器的 token 数，两者不属于同一个模型：{another}。",
    ),
    "damaged": (
        "{filename} of {model} is damaged, or is not what its name says: {another}.",
        "{model} 的 {filename} 已损坏，或内容与文件名不符：{another}。",
    ),
    "no_range": (
        "The server does not send parts of a file, and the whole of {filename} is not fetched for one table: "
        "set HF_ENDPOINT to another Hub address; {otherwise}",
        "服务器不能只发送文件的一部分，而为一张表不值得下载整个 {filename}："
        "请把 HF_ENDPOINT 设为别的 Hub 地址；{otherwise}",
    ),
    "disk": (
        "The disk of the cache is full: free some space, or choose another folder with --cache.",
        "缓存所在的磁盘已满：请腾出空间，或用 --cache 换一个文件夹。",
    ),
    "unwritable": (
        "The folder of the cache cannot be written to: choose another one with --cache.",
        "缓存文件夹无法写入：请用 --cache 换一个文件夹。",
    ),
}


def hub_problem(
    kind: str,
    model: str,
    filename: str,
    limit: int,
    otherwise: tuple[str, str] = TOKENIZER,
    another: tuple[str, str] = MODEL,
) -> Problem:
    """The Problem of that kind; `limit` is in bytes. An unknown kind is told as "network"."""
    en, zh = SENTENCES.get(kind, SENTENCES["network"])
    words = {"model": model, "filename": filename, "limit": f"{limit // 10**6:,}"}
    return Problem(
        *(
            sentence.format(**words, otherwise=otherwise[lang], another=another[lang])
            for lang, sentence in enumerate((en, zh))
        )
    )


def disk_problem(error: OSError) -> Problem:
    """The Problem where something fetched could not be written down."""
    full = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
    return hub_problem("disk" if error.errno in full else "unwritable", "", "", 0)
