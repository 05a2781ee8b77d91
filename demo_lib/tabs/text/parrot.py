"""The words of the tab of the model with no layers."""

from demo_lib.tabs.text import tables

EN = tables.EN | {
    "tab": "No layers",
    "intro": "Take all layers out of a model, and only its entrance and its exit are left: look the last token's row up, "
    "compare it with every row, say the best match. What does such a model say?",
    "text": "Text",
    "steps": "Steps",
    "temperature": "Temperature (0: always the best)",
    "top_k": "Draw from the best (0: all)",
    "seed": "Seed",
    "cosine": "Divide rows by their length (cosine scores)",
    "rms_norm": "Put an RMSNorm between",
    "output": "Use the separate output table, where the model has one",
    "parrot_input": "Step {n}: the input is",
    "parrot_own": "its own score is number {rank}, with {percent} of the probability",
    "step_label": "step {n}: {piece}",
    "says_again": "It says “{piece}” {n} times over: it can only repeat itself.",
    "says": "It says “{text}”.",
    "rate_line": "{label}: {percent}% of its tokens repeat themselves; {fail} of {tokens} do not.",
    "rate_title": "The parrot rate",
    "rate_intro": "Usually told as a certainty: a tied model without layers can only repeat itself, for whose dot product with a row "
    "could be larger than the row's own? It is not one: a longer row can win. Try every token of the vocabulary.",
    "rate_start": "Try every token",
    "rate_working": "Comparing every row with every row…",
    "attractors": "Who attracts the others",
    "taken": "tokens taken",
    "cycles": "Going round in circles",
    "context_title": "What would it take to stop repeating?",
    "context": "Context. Each row is the same in every sentence: 公园 has one vector, whatever stands before it. To say anything but "
    "itself, the model must change the vector by what came before. That is what the layers are for.",
}

ZH = tables.ZH | {
    "tab": "没有层的模型",
    "intro": "把模型所有的层都拿掉，只剩入口和出口：查出最后一个 token 的那一行，与每一行比较，说出最像的那个。这样的模型会说什么？",
    "text": "文本",
    "steps": "步数",
    "temperature": "温度（0：总取最高分）",
    "top_k": "只从前几名里抽（0：全部）",
    "seed": "随机种子",
    "cosine": "每行除以自己的长度（余弦得分）",
    "rms_norm": "中间放一个 RMSNorm",
    "output": "模型另有输出表时，用输出表",
    "parrot_input": "第 {n} 步：输入是",
    "parrot_own": "它自己的得分排第 {rank}，概率 {percent}",
    "step_label": "第 {n} 步：{piece}",
    "says_again": "它把“{piece}”说了 {n} 遍：只会重复自己。",
    "says": "它说：“{text}”。",
    "rate_line": "{label}：{percent}% 的 token 重复自己；{tokens} 个里有 {fail} 个不重复。",
    "rate_title": "复读率",
    "rate_intro": "常有人说这是必然的：共享权重又没有层的模型只会重复自己，因为谁与一行的点积能大过它自己呢？其实不必然：更长的行可能胜出。把词表里的每个 token 都试一遍。",
    "rate_start": "试遍每个 token",
    "rate_working": "正在把每一行与每一行比较……",
    "attractors": "谁把别人吸引过去",
    "taken": "被吸引的 token",
    "cycles": "绕圈的",
    "context_title": "怎样才能不再重复？",
    "context": "靠上下文。每一行在任何句子里都一样：公园只有一个向量，不管前面是什么。要说出自己以外的词，模型必须根据前文改变这个向量。层就是做这件事的。",
}

TEXT = {"en": EN, "zh-CN": ZH}
