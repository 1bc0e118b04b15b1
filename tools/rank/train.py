"""Trains the ranker: a few trees that raise or lower the first score of a passage, and the confidence of an answer.

Usage: train.py FEATURES MODEL.json REPORT.json [--folds-only]
FEATURES holds what collect.ts wrote. Needs Python >= 3.11 with numpy and lightgbm. Whole worlds are left out of training
for every figure in the report; the model that is written has seen all of them.
"""

import glob, json, multiprocessing, os, sys

import lightgbm as lgb
import numpy as np

# They tell one set of worlds from another rather than a good passage from a bad one.
LEFT_OUT = ["typicalSize", "assistantShare", "namedShare", "age", "place", "isNamed", "questionSize", "gapAbove", "rank",
            "dayShare", "sessionShare", "sessionBest"]
# More of these never makes a passage worse, whatever a few worlds seem to say.
RISING = {"keyword", "vector", "ownWords", "ownLikeness", "cosine", "cosineToBest", "covered", "coveredRarity", "coveredAround",
          "rarestCovered", "speaker", "period", "pairs", "density", "bestBeside", "likeTheBest", "likeOneOfBest", "likeTheMany",
          "standingRule", "isStanding", "bestNear", "bestSameDay", "feedback", "feedbackTop", "likeFirst", "likeSecond", "namedPeriod",
          "talkBest", "talkCovered", "besideOther", "dayCovered", "otherCovered"}
# How much of what the trees say is believed: on kinds of memory that they have never seen they are wrong more often.
TRUST = 0.85
VARIANTS = ["plain", "asked", "facts"]
# Sets have unlike numbers of questions; each should count.
WEIGHT = {"locomo": 1, "beam-100k": 4, "beam-500k": 4, "lifebench-en": 3, "lifebench-zh": 3}
SCALE, ROUNDS, TOP, FOLDS = 3.0, 40, 80, 5
# Several models that saw the questions in another order, taken together, are wrong less often by chance.
SEEDS = [1, 2]
PARAMETERS = dict(objective="lambdarank", lambdarank_truncation_level=20, label_gain=[0, 1], num_leaves=8, learning_rate=0.08,
                  min_data_in_leaf=200, feature_fraction=0.7, bagging_fraction=0.8, bagging_freq=1, lambda_l2=5, max_bin=63,
                  num_threads=1, deterministic=True, verbose=-1)


NAMES = []


def fold_of(set_name, world, number, members):
    """Worlds of one set are spread over the folds; of a set with a single world it is the questions."""
    return (number if len(members) == 1 else sorted(members).index(world)) % FOLDS


def read(folder, variants):
    worlds, names, members = [], [], {}
    paths = sorted(glob.glob(f"{folder}/*.json"))
    for path in paths:
        set_name, world, _ = os.path.basename(path)[:-5].split("--")
        members.setdefault(set_name, set()).add(world)
    for path in paths:
        set_name, world, variant = os.path.basename(path)[:-5].split("--")
        if variant not in variants:
            continue
        about = json.load(open(path))
        names = NAMES[:] = about["features"]
        rows = np.fromfile(path[:-5] + ".bin", dtype=np.float32).reshape(-1, len(names))
        start, questions = 0, []
        for number, question in enumerate(about["questions"]):
            hits = question["hits"]
            questions.append(dict(
                kind=question["category"], evidence=question["evidence"], fold=fold_of(set_name, world, number, members[set_name]),
                gold=np.array([hit["gold"] for hit in hits[:TOP]], dtype=int), rows=rows[start : start + min(TOP, len(hits))],
                tokens=np.array([hit["tokens"] for hit in hits[:TOP]], dtype=int)))
            start += len(hits)
        worlds.append(dict(set=set_name, name=world, variant=variant, questions=questions))
    return worlds, names


def train(worlds, columns, is_seen):
    chosen = [(question, WEIGHT[world["set"]]) for world in worlds for question in world["questions"]
              if is_seen(world, question) and question["gold"].sum() > 0]
    data = lgb.Dataset(
        np.concatenate([question["rows"][:, columns] for question, _ in chosen]),
        np.concatenate([question["gold"] for question, _ in chosen]),
        group=[len(question["gold"]) for question, _ in chosen],
        init_score=SCALE * np.concatenate([question["rows"][:, 0] for question, _ in chosen]),
        weight=np.concatenate([np.full(len(question["gold"]), weight) for question, weight in chosen]))
    rising = [1 if name in RISING else 0 for name in (NAMES[column] for column in columns)]
    return [lgb.train({**PARAMETERS, "monotone_constraints": rising, "seed": seed}, data, num_boost_round=ROUNDS)
            for seed in SEEDS]


def predict(models, rows):
    return np.mean([model.predict(rows, num_threads=1) for model in models], axis=0)


FAMILIES = ("locomo", "beam", "lifebench")
WORKERS = 4
SHARED = None


def train_job(job):
    kind, which = job
    worlds, columns = SHARED
    is_seen = {"fold": lambda _, question: question["fold"] != which, "set": lambda world, _: not world["set"].startswith(which),
               "all": lambda *_: True}[kind]
    return [model.model_to_string() for model in train(worlds, columns, is_seen)]


def score_all(worlds, columns, models_of, rows_of=lambda question: question["rows"]):
    """The scores of all questions by their identity; those that share models are put to them together."""
    groups = {}
    for world in worlds:
        for question in world["questions"]:
            groups.setdefault(id(models_of(question)), []).append(question)
    scores = {}
    for questions in groups.values():
        rows = [rows_of(question) for question in questions]
        sums = predict(models_of(questions[0]), np.concatenate(rows)[:, columns])
        start = 0
        for question, own in zip(questions, rows):
            scores[id(question)] = SCALE * own[:, 0] + TRUST * sums[start : start + len(own)]
            start += len(own)
    return lambda question: scores[id(question)]


def measure(question, scores):
    order = np.argsort(-scores, kind="stable")
    gold, evidence = question["gold"][order], question["evidence"]
    fits = np.searchsorted(np.cumsum(question["tokens"][order]), 1000, side="right")
    return gold[:10].sum() / evidence, gold[:fits].sum() / evidence


def table(worlds, scores_of):
    sums = {}
    for world in worlds:
        for question in world["questions"]:
            if question["evidence"] == 0:
                continue
            figures = measure(question, scores_of(question)) if len(question["gold"]) else (0, 0)
            for group in (f"{world['set']}/{world['variant']}", f"{world['set']}/{world['variant']}/{question['kind']}"):
                sums.setdefault(group, []).append(figures)
    return {group: [len(values), *np.mean(values, axis=0).round(4).tolist()] for group, values in sums.items()}


# What is looked at to tell whether anything on record answers: how like the question the likest passages are, how much of its
# rare words the first ones have, how many of its words are known at all, how steeply the scores fall, and how like all the
# others the first ten are: where nothing stands out from what is near the question, only the subject is on record.
SIGNS = ["meanCosine", "coveredRarity", "knownShare", "meanScore", "likeTheMany"]


def signs(names, question):
    rows, at = question["rows"], names.index
    if len(rows) == 0:
        return np.zeros(len(SIGNS))
    return np.array([
        np.sort(rows[:, at("cosine")])[::-1][:10].mean(), rows[:5, at("coveredRarity")].max(), rows[0, at("knownShare")],
        rows[:10, at("score")].mean(), rows[:10, at("likeTheMany")].mean()])


def fit_logistic(samples, labels, weights, penalty=1e-2):
    middle, size = samples.mean(0), samples.std(0) + 1e-6
    inputs = np.hstack([(samples - middle) / size, np.ones((len(samples), 1))])
    theta = np.zeros(inputs.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-inputs @ theta))
        slope = inputs.T @ (weights * (chance - labels)) + penalty * len(samples) * np.r_[theta[:-1], 0]
        bend = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + penalty * len(samples) * np.eye(len(theta))
        theta -= np.linalg.solve(bend, slope)
    return middle, size, theta


def predict_logistic(fitted, samples):
    middle, size, theta = fitted
    return 1 / (1 + np.exp(-np.hstack([(samples - middle) / size, np.ones((len(samples), 1))]) @ theta))


def calibrate(fitted, samples, labels, natural):
    """Platt: a slope and a shift, fitted where answers and no answers come as often as in the questions themselves."""
    middle, size, theta = fitted
    sums = np.hstack([(samples - middle) / size, np.ones((len(samples), 1))]) @ theta
    _, spread, (slope, shift) = fit_logistic(sums[natural, None], labels[natural], np.ones(natural.sum()), 1e-4)
    slope = slope / spread[0]
    return middle, size, np.r_[theta[:-1] * slope, theta[-1] * slope + shift - slope * sums[natural].mean()]


def area(yes, no):
    return float(np.mean([(one > no).mean() + 0.5 * (one == no).mean() for one in yes])) if len(yes) and len(no) else None


def pack(models):
    trees = []
    for tree in [tree for model in models for tree in model.dump_model()["tree_info"]]:
        packed = dict(feature=[], threshold=[], left=[], right=[], leaf=[])

        def add(node):
            if "leaf_value" in node:
                packed["leaf"].append(round(node["leaf_value"] / len(models), 5))
                return -len(packed["leaf"])
            place = len(packed["feature"])
            packed["feature"].append(node["split_feature"])
            packed["threshold"].append(float(f"{node['threshold']:.6g}"))
            packed["left"].append(0)
            packed["right"].append(0)
            packed["left"][place] = add(node["left_child"])
            packed["right"][place] = add(node["right_child"])
            return place

        add(tree["tree_structure"])
        trees.append(packed)
    return trees


def main():
    folder, model_path, report_path = sys.argv[1:4]
    worlds, names = read(folder, VARIANTS)
    foreign, _ = read(folder, ["foreign"])
    columns = [index for index, name in enumerate(names) if name not in LEFT_OUT]
    # Each fold, each set left out whole, and the model that is shipped: all are trained at once.
    global SHARED
    SHARED = (worlds, columns)
    jobs = [("fold", fold) for fold in range(FOLDS)] + [("set", name) for name in FAMILIES] + [("all", None)]
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        trained = dict(zip(jobs, [[lgb.Booster(model_str=text) for text in texts] for texts in pool.map(train_job, jobs)]))
    models = [trained["fold", fold] for fold in range(FOLDS)]
    of_fold = lambda question: models[question["fold"]]
    held = score_all(worlds, columns, of_fold)
    noise = np.random.default_rng(5)
    shake = lambda question: question["rows"] * (1 + 0.01 * noise.standard_normal(question["rows"].shape))
    shaken = score_all(worlds, columns, of_fold, shake)

    report = {"first": table(worlds, lambda question: question["rows"][:, 0]), "leftOut": table(worlds, held),
              "shaken": table(worlds, shaken)}

    # A set left out whole: how the ranker does on a kind of memory that it has never seen.
    for name in FAMILIES:
        alone = trained["set", name]
        rest = [world for world in worlds if world["set"].startswith(name) and world["variant"] == "plain"]
        report.setdefault("setLeftOut", {}).update(table(rest, score_all(rest, columns, lambda _: alone)))

    asked = [(world["set"], question) for world in worlds if world["variant"] == "plain" for question in world["questions"]]
    strange = [(world["set"], question) for world in foreign for question in world["questions"]]
    everything = [(name, question, question["evidence"] > 0, False) for name, question in asked]
    everything += [(name, question, False, True) for name, question in strange]
    samples = np.array([signs(names, question) for _, question, _, _ in everything])
    labels = np.array([float(has) for _, _, has, _ in everything])
    folds = np.array([question["fold"] for _, question, _, _ in everything])
    # The questions that really have no answer are few and hardest to tell; where there are none, answers count for less.
    weights = np.array([(1.0 if name.startswith("beam") else 0.3) if has else (0.6 if made_up else 20.0)
                        for name, _, has, made_up in everything])
    natural = np.array([name.startswith("beam") and not made_up for name, _, _, made_up in everything])
    chances = np.zeros(len(labels))
    for fold in range(FOLDS):
        fitted = fit_logistic(samples[folds != fold], labels[folds != fold], weights[folds != fold])
        chances[folds == fold] = predict_logistic(calibrate(fitted, samples[folds != fold], labels[folds != fold], natural[folds != fold]),
                                                  samples[folds == fold])
    report["confidence"] = {}
    for name in WEIGHT:
        own = np.array([entry[0] == name for entry in everything])
        real = np.array([not entry[3] for entry in everything])
        yes, no = chances[own & real & (labels == 1)], chances[own & real & (labels == 0)]
        made = chances[own & ~real]
        report["confidence"][name] = {"area": area(yes, no), "areaForeign": area(yes, made), "areaLikeness": area(
            samples[own & real & (labels == 1), 0], samples[own & real & (labels == 0), 0])}
        report["confidence"][name]["below"] = {
            str(limit): [float((part < limit).mean()) if len(part) else None for part in (yes, no, made)]
            for limit in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
    final = trained["all", None]
    middle, size, theta = calibrate(fit_logistic(samples, labels, weights), samples, labels, natural)
    report["signs"] = dict(zip(SIGNS, theta.round(3).tolist()))
    model = dict(version=1, features=[names[column] for column in columns], scale=SCALE / TRUST, trees=pack(final),
                 confidence=dict(middle=middle.round(5).tolist(), size=size.round(5).tolist(), weight=theta[:-1].round(5).tolist(),
                                 bias=round(float(theta[-1]), 5)))
    json.dump(model, open(model_path, "w"), separators=(",", ":"))
    json.dump(report, open(report_path, "w"), indent=1)
    for key in sorted(report["leftOut"], key=lambda key: (key.count("/"), key)):
        first, after = report["first"][key], report["leftOut"][key]
        print(f"{key:60} {after[0]:5} {first[1]:.3f} -> {after[1]:.3f}   1000t {first[2]:.3f} -> {after[2]:.3f}")
    print(json.dumps({"setLeftOut": {k: v for k, v in report["setLeftOut"].items() if k.count("/") == 1},
                      "shaken": {k: v for k, v in report["shaken"].items() if k.count("/") == 1},
                      "confidence": report["confidence"], "signs": report["signs"]}, indent=1))


main()
