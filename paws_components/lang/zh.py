"""Chinese. Words have no forms, so a word is its own lemma; where names end, the segmenter alone says."""

from . import Rules

RULES = Rules(
    conjunctions=frozenset("和 与 與 及 或 以及 或者 并 並 而 跟 同 暨 还是 還是 &".split()),
    auxiliaries=frozenset("是 有 在 被 把 将 將 让 讓 使 会 會 能 可以 可能 应该 應該 要 想 为 為".split()),
    particles=frozenset(
        "不 没 沒 没有 沒有 未 无 無 的 地 得 了 着 著 过 過 很 最 更 也 都 就 才 "
        "又 再 还 還 只 已 已经 已經 曾 曾经 曾經 正 之 所 等 吗 嗎 呢 吧 较 較 非常 "
        "十分 分别 分別 仅 僅 约 約".split()
    ),
    quantifiers=frozenset(
        "第一 第二 第三 其他 其它 其余 其餘 另 另外 同 同一 相同 各 每 某 许多 許多 多 "
        "少 几 幾 一些 所有 全 全部 整个 整個 本 该 該 前 后 後 新 大 小 两 兩 不同 "
        "主要 一般".split()
    ),
    bare_lemmas=True,
)
