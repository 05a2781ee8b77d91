"""The words of the tab that lists the ready lessons."""

EN = {
    "tab": "Lessons",
    "part_cards": "The lessons",
    "intro": "Ready lessons for a class, or for yourself: each step says what to look at, and asks for a guess before it shows the answer. "
    "One link opens a lesson on any phone. To make one of your own, press “Prepare a lesson” at the top.",
    "list": "Ready lessons",
    "begin": "Begin",
    "begin_it": "Begin the lesson “{title}”",
    "share": "Link and QR code",
    "share_it": "Link and QR code of the lesson “{title}”",
    "minutes": "{n} minutes",
    "steps": "{n} steps",
    "uses": "Tabs that it uses",
}

ZH = {
    "tab": "课程",
    "part_cards": "课程列表",
    "intro": "现成的课程，可以在课堂上用，也可以自己学：每一步都说明看什么，先请你猜一猜，再给出答案。一个链接就能在任何手机上打开一节课。想自己做一节，请按页面上方的“准备课程”。",
    "list": "现成的课程",
    "begin": "开始",
    "begin_it": "开始课程“{title}”",
    "share": "链接和二维码",
    "share_it": "课程“{title}”的链接和二维码",
    "minutes": "{n} 分钟",
    "steps": "{n} 步",
    "uses": "用到的标签页",
}

TEXT = {"en": EN, "zh-CN": ZH}
