// A few instructions of WebAssembly as bytes: fixed-width SIMD makes work on vectors several times as fast, and code that
// is assembled here needs no build step. An instruction is the list of its bytes; a function is all of them in one list.

/** The types that parameters and locals may have. */
export const I32 = 0x7f;
export const F32 = 0x7d;
export const V128 = 0x7b;

export const ADD = [0x6a];
export const SHIFT_LEFT = [0x74];

/** Puts a local on the stack. */
export const get = (local: number) => [0x20, local];
/** Takes the value on the stack for a local. */
export const set = (local: number) => [0x21, local];
export const constant = (value: number) => [0x41, ...signed(value)];
export const simd = (code: number) => [0xfd, ...unsigned(code)];
export const loadVector = (offset: number) => [...simd(0), 0, ...unsigned(offset)];
export const storeVector = (offset: number) => [...simd(11), 0, ...unsigned(offset)];
/** Sixteen times the same byte. */
export const bytesOf = (value: number) => [...simd(12), ...Array.from({ length: 16 }, () => value)];
export const increment = (local: number, by: number[]) => [...get(local), ...by, ...ADD, ...set(local)];
/** Does the body, and again while `local` is less than the limit. */
export const repeatWhileLess = (body: number[], local: number, limit: number[]) => [
  0x03,
  0x40, // loop
  ...body,
  ...get(local),
  ...limit,
  0x48, // i32.lt_s
  0x0d,
  0, // br_if
  0x0b,
];

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A module with one function `f` over a memory that it is given. */
export function assemble(parts: { parameters: number[]; locals: [count: number, type: number][]; code: number[] }) {
  const locals = [...unsigned(parts.locals.length), ...parts.locals.flatMap(([count, type]) => [count, type])];
  const body = [...locals, ...parts.code, 0x0b];
  return new Uint8Array([
    ...MAGIC,
    ...section(1, [1, 0x60, ...unsigned(parts.parameters.length), ...parts.parameters, 0]),
    ...section(2, [1, 1, 0x61, 1, 0x6d, 2, 0x00, ...unsigned(1)]),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** Memory that an assembled function works on. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What `grow` counts in. */
export const PAGE_BYTES = 65_536;

// The types of Node leave this global out.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { a: { m: WasmMemory } }) => { exports: Record<string, unknown> };
};

/** Memory of at least so many bytes. */
export function createMemory(bytes: number): WasmMemory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES), maximum: 65_536 });
}

const compiled = new WeakMap<Uint8Array, object>();

/** Makes an assembled function work on a memory. */
export function openKernel(module: Uint8Array, memory: WasmMemory): (...values: number[]) => void {
  const known = compiled.get(module) ?? new WebAssembly.Module(module);
  compiled.set(module, known);
  const { f } = new WebAssembly.Instance(known, { a: { m: memory } }).exports;
  if (typeof f !== "function") throw new TypeError("The assembled module does not export its function");
  return (...values) => {
    f(...values);
  };
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const byte = rest & 0x7f;
    const isLast = (rest >> 7 === 0 && (byte & 0x40) === 0) || (rest >> 7 === -1 && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

/** A number in as many bytes as it needs. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function section(id: number, content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}
