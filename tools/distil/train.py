"""Trains the word table: the sum of a text's rows should point where the teacher points.

Usage: train.py DATA OUT --teacher MODEL.onnx --tokenizer tokenizer.json [--dimensions 256] [--epochs 12] [--talk 600000] [--drop 0.2]
DATA holds what corpus.py wrote. Writes into OUT: words.txt, rows.bin (signed bytes), scales.bin (32-bit floats), for pack.ts.
A graphics card does it in three minutes; without one, expect a day, nearly all of it the teacher's.
"""

import argparse, random, re, time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import talk
from bert import Bert

BATCH, RATE = 4096, 4e-3
CHARACTERS, CHINESE_WORDS, LONGEST_WORD = 6000, 24000, 4
# SIF: how rare a piece must be to begin with its full weight. Training moves it from there.
RARE = 1e-3
HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")

parser = argparse.ArgumentParser()
parser.add_argument("data", type=Path)
parser.add_argument("out", type=Path)
parser.add_argument("--teacher", required=True)
parser.add_argument("--tokenizer", required=True)
parser.add_argument("--dimensions", type=int, default=256)
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--talk", type=int, default=600_000)
parser.add_argument("--drop", type=float, default=0.2)
options = parser.parse_args()
torch.manual_seed(7)
random.seed(3)
device = "cuda" if torch.cuda.is_available() else "cpu"
started = time.time()


def say(text):
    print(f"{time.time() - started:7.1f} s  {text}", flush=True)


tokenizer = Tokenizer.from_file(options.tokenizer)
tokenizer.no_padding()
tokenizer.enable_truncation(256)
numbers = tokenizer.get_vocab()
pieces = sorted(numbers, key=numbers.get)
special = [numbers[word] for word in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]


def read_chinese_words():
    """The most frequent characters and words, less those that the teacher's vocabulary has already."""
    words = [line.split(" ")[0] for line in (options.data / "chinese-words.txt").read_text().splitlines()]
    single = [word for word in words if len(word) == 1][:CHARACTERS]
    longer = [word for word in words if 1 < len(word) <= LONGEST_WORD][:CHINESE_WORDS]
    return [word for word in single + longer if word not in numbers]


words = pieces + read_chinese_words()
row_of = {word: row for row, word in enumerate(words)}


def chinese_rows(text):
    """Every word of the vocabulary that stands anywhere in the text, overlapping ones included, as the embedder does."""
    rows = []
    for run in HAN_RUN.findall(text):
        for start in range(len(run)):
            found = (run[start:end] for end in range(start + 1, min(start + LONGEST_WORD, len(run)) + 1))
            rows.extend(row_of[word] for word in found if word in row_of)
    return np.array(rows, dtype=np.int32)


def english_texts():
    """What was gathered, some of it with a speaker as in a transcript, and made-up talk with the words of the vocabulary."""
    gathered = (options.data / "corpus.txt").read_text().splitlines()
    spoken = [f"{random.choice(talk.NAMES)}: {text}" if random.random() < 0.1 else text for text in gathered]
    common = [piece for piece in pieces if piece.isascii() and piece.isalpha() and len(piece) > 2]
    return spoken + sorted(set(talk.sentences(options.talk, common)))


def teach(encoded):
    """The teacher's vectors, texts of like length together so that little is padded."""
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index]))
    vectors = torch.empty(len(encoded), 384, dtype=torch.float16)
    room, start = (512 * 1024 if device == "cuda" else 16384), 0
    while start < len(order):
        longest = len(encoded[order[min(start + 2048, len(order) - 1)]])
        batch = order[start : start + max(1, min(4096, room // longest))]
        ids = np.zeros((len(batch), len(encoded[batch[-1]])), dtype=np.int64)
        for row, index in enumerate(batch):
            ids[row, : len(encoded[index])] = encoded[index]
        tensor = torch.from_numpy(ids).to(device)
        vectors[batch] = teacher.embed(tensor, tensor != 0).half().cpu()
        start += len(batch)
    return vectors


class Texts:
    """The rows of many texts in one array, to be drawn in batches."""

    def __init__(self, lists):
        self.rows = torch.from_numpy(np.concatenate(lists).astype(np.int64)).to(device)
        lengths = torch.tensor([len(item) for item in lists])
        self.starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)]).to(device)

    def batch(self, chosen):
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        owner = torch.repeat_interleave(torch.arange(len(chosen), device=device), lengths)
        within = torch.arange(len(owner), device=device) - (lengths.cumsum(0) - lengths)[owner]
        return self.rows[self.starts[chosen][owner] + within], owner


def student(table, rows, owner, count, drop):
    keep = torch.rand(len(rows), device=device) >= drop
    total = torch.zeros(count, table.shape[1], device=device)
    return F.normalize(total.index_add(0, owner[keep], F.embedding(rows[keep], table)), dim=-1)


def train(texts, target, first):
    table = first.clone().requires_grad_()
    optimiser = torch.optim.Adam([table], lr=RATE)
    every = torch.arange(len(target), device=device)
    held, learnt = every[::101], every[every % 101 != 0]
    round_steps = len(learnt) // BATCH
    steps = options.epochs * round_steps
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    for step in range(steps):
        if step % round_steps == 0:
            shuffled = learnt[torch.randperm(len(learnt), device=device)]
        chosen = shuffled[step % round_steps * BATCH :][:BATCH]
        got = student(table, *texts.batch(chosen), len(chosen), options.drop)
        loss = (1 - (got * target[chosen]).sum(-1)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % max(1, steps // 6) == 0 or step == steps - 1:
            with torch.no_grad():
                check = (student(table, *texts.batch(held), len(held), 0) * target[held]).sum(-1).mean()
            say(f"step {step} of {steps}: loss {loss.item():.4f}, cosine to the teacher on held-out texts {check.item():.4f}")
    return table.detach()


def save(table):
    kept = [row for row, word in enumerate(words) if row not in special and not re.fullmatch(r"\[unused\d+\]", word)]
    table = table[kept]
    scales = table.abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
    options.out.mkdir(exist_ok=True, parents=True)
    (options.out / "words.txt").write_text("\n".join(words[row] for row in kept))
    (options.out / "rows.bin").write_bytes((table / scales).round().to(torch.int8).cpu().numpy().tobytes())
    (options.out / "scales.bin").write_bytes(scales.float().cpu().numpy().tobytes())


teacher = Bert(options.teacher, device, torch.bfloat16 if device == "cuda" else torch.float32)
english = english_texts()
pairs = [line.split("\t") for line in (options.data / "pairs.tsv").read_text().splitlines()]
say(f"{len(english)} texts, {len(pairs)} pairs, {len(words)} words, on {device}")
encoded = [np.array(item.ids, dtype=np.int32) for item in tokenizer.encode_batch(english + [source for _, source in pairs])]
vectors = teach(encoded)
start, end = numbers["[CLS]"], numbers["[SEP]"]
alone = teach([np.array([start, piece, end], dtype=np.int32) for piece in range(len(pieces))]).to(device).float()
say("taught")

lists = [ids[~np.isin(ids, special)] for ids in encoded[: len(english)]] + [chinese_rows(text) for text, _ in pairs]
kept = [index for index, item in enumerate(lists) if len(item) > 0]
texts = Texts([lists[index] for index in kept])
target = vectors[kept].to(device).float()
mean = target.mean(0)
sample = torch.randperm(len(target))[:100_000].to(device)
axes = torch.linalg.svd(target[sample] - mean, full_matrices=False)[2][: options.dimensions]
target = F.normalize((target - mean) @ axes.T, dim=-1)

# A piece begins where the teacher puts it alone, and a Chinese word where the teacher puts its dictionary entry.
first = torch.zeros(len(words), options.dimensions, device=device)
first[: len(pieces)] = (alone - alone.mean(0)) @ axes.T
entries = [(row_of[text], index) for index, (text, _) in enumerate(pairs, len(english)) if row_of.get(text, 0) >= len(pieces)]
entry_rows, sources = (list(column) for column in zip(*entries))
first.index_add_(0, torch.tensor(entry_rows, device=device), (vectors[sources].to(device).float() - mean) @ axes.T)
counts = torch.bincount(texts.rows, minlength=len(words))
first = F.normalize(first, dim=-1) * (RARE / (RARE + counts / counts.sum()))[:, None]
say("ready to train")
save(train(texts, target, first))
