"""Teach the network to tell a sentence from its exchanges, and a span in its place from others of its tag."""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy
import srsly
import torch
from network import Fit, batches, first_vectors, prepare
from torch.nn.functional import softplus

from paws_components.generation.embedded import Features

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proposals", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--held", type=int, default=3000, help="sentences to look at, not learnt from")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loaded = numpy.load(args.vectors)
    words = loaded["words"].tolist()
    rows = list(srsly.read_gzip_jsonl(args.proposals))[: args.limit]
    tags = sorted({tag for row in rows for tag in row["tags"]})
    features = Features(words, tags)
    held = prepare(rows[: args.held], features)
    ids, tag_ids, groups = prepare(rows[args.held :], features)
    print(len(ids), "exchanges;", len(held[0]), "held", flush=True)
    members = defaultdict(list)
    for i, group in enumerate(groups):
        members[group].append(i)
    of_group = {group: torch.tensor(found) for group, found in members.items()}
    group_row = {group: k for k, group in enumerate(of_group)}
    starts, sizes, flat = [], [], []
    for group in of_group:
        starts.append(sum(sizes))
        sizes.append(len(of_group[group]))
        flat.append(of_group[group])
    flat_members, start_of, size_of = torch.cat(flat), torch.tensor(starts), torch.tensor(sizes)
    row_of = torch.tensor([group_row[group] for group in groups])

    model = Fit(features, len(tags))
    with torch.no_grad():
        model.word.weight.copy_(torch.tensor(first_vectors(words, loaded["vectors"])))
        model.tag.weight.mul_(0.5)
    optimizer = torch.optim.Adam(
        [
            {"params": model.word.parameters(), "lr": args.rate * 0.3},
            {"params": [p for n, p in model.named_parameters() if not n.startswith("word")], "lr": args.rate},
        ]
    )
    total = args.epochs * ((len(ids) - 1) // args.batch + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / total))
    all_words, all_tags = torch.tensor(ids), torch.tensor(tag_ids)
    generator = torch.Generator().manual_seed(0)
    context = all_words.shape[-1] - 6
    for epoch in range(args.epochs):
        model.train()
        seen, lost, right = 0, 0.0, 0.0
        for chosen in batches(len(ids), args.batch, generator):
            w, t = all_words[chosen].long(), all_tags[chosen].long()
            # Another span of the same tag, from anywhere, in the place of each of the two.
            kind = row_of[chosen]
            other = (torch.rand(len(chosen), generator=generator) * size_of[kind]).long() + start_of[kind]
            there = flat_members[other]
            side = torch.randint(0, 2, (len(chosen),), generator=generator)
            foreign_w = torch.cat((w[:, :2, :context], all_words[there].long()[:, :2, context:]), -1)
            foreign_t = torch.cat((t[:, :2, :context], all_tags[there].long()[:, :2, context:]), -1)
            pick = side[:, None, None].expand(-1, 1, foreign_w.shape[-1])
            foreign_w, foreign_t = foreign_w.gather(1, pick), foreign_t.gather(1, pick)
            fits = model(torch.cat((w, foreign_w), 1), torch.cat((t, foreign_t), 1))
            delta = fits[:, 0] + fits[:, 1] - fits[:, 2] - fits[:, 3]
            own = fits[:, :2].gather(1, side[:, None])[:, 0]
            loss = softplus(-delta).mean() + 0.5 * softplus(fits[:, 4] - own).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            seen += len(chosen)
            lost += loss.item() * len(chosen)
            right += float((delta > 0).sum())
        model.eval()
        with torch.no_grad():
            fits = model(torch.tensor(held[0]).long(), torch.tensor(held[1]).long())
            delta = fits[:, 0] + fits[:, 1] - fits[:, 2] - fits[:, 3]
        print(
            f"epoch {epoch}: loss {lost / seen:.4f}, right {right / seen:.4f}; held: "
            f"{float(softplus(-delta).mean()):.4f}, {float((delta > 0).float().mean()):.4f}",
            flush=True,
        )
    torch.save({"model": model.state_dict(), "words": words, "tags": tags}, args.output)
