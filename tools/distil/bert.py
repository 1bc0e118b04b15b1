"""The teacher in PyTorch, its weights read from the int8 ONNX file, so that it runs on a graphics card as well."""

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


class Bert:
    def __init__(self, path, device, dtype):
        graph = onnx.load(path).graph
        values = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
        self.heads, self.device, self.dtype = 12, device, dtype
        self.weights = {name: self.tensor(value) for name, value in values.items() if value.dtype == np.float32 and value.ndim == 1}
        for part in ("word", "position", "token_type"):
            name = f"embeddings.{part}_embeddings.weight"
            self.weights[name] = self.tensor(values[name] if name in values else dequantise(values, f"{name}_quantized"))
        for node in graph.node:
            if node.op_type == "MatMulInteger":
                # "/encoder/layer.0/attention/self/query/MatMul_quant" → "encoder.layer.0.attention.self.query"
                name = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
                self.weights[f"{name}.weight"] = self.tensor(dequantise(values, node.input[1]).T)
        self.layers = len({name.split(".")[2] for name in self.weights if name.startswith("encoder.layer.")})

    def tensor(self, array):
        return torch.tensor(np.ascontiguousarray(array), device=self.device, dtype=self.dtype)

    def norm(self, states, name):
        return F.layer_norm(states, states.shape[-1:], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], 1e-12)

    def linear(self, states, name):
        return F.linear(states, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    @torch.inference_mode()
    def embed(self, ids, mask):
        """Unit vectors of the first token for a padded batch of token numbers."""
        weights = self.weights
        states = weights["embeddings.word_embeddings.weight"][ids]
        states = states + weights["embeddings.position_embeddings.weight"][: ids.shape[1]] + weights["embeddings.token_type_embeddings.weight"][0]
        states = self.norm(states, "embeddings.LayerNorm")
        allowed = mask[:, None, None, :].bool()
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}"
            parts = [self.linear(states, f"{name}.attention.self.{part}").unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in ("query", "key", "value")]
            mixed = F.scaled_dot_product_attention(*parts, attn_mask=allowed).transpose(1, 2).flatten(2)
            states = self.norm(states + self.linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
            wide = F.gelu(self.linear(states, f"{name}.intermediate.dense"))
            states = self.norm(states + self.linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return F.normalize(states[:, 0].float(), dim=-1)


def dequantise(values, name):
    base = name.removesuffix("_quantized")
    scale, zero = values[f"{base}_scale"], values[f"{base}_zero_point"]
    return (values[name].astype(np.float32) - zero.astype(np.float32)) * scale
