// Packed numbers to typed arrays.

import type { Packed } from "./contract";

type Numbers = Float64Array | Float32Array;

const decoded = new WeakMap<Packed, Numbers>();

/** Bytes that one number takes. */
export function width(packed: Packed): number {
  return packed.type === "f64" ? 8 : 4;
}

/** Length of the base64 text that holds `bytes` bytes, with its padding. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** The numbers of `packed`. Decoded when asked for the first time, because a page may hold many that nobody looks at. */
export function numbers(packed: Packed): Numbers {
  const known = decoded.get(packed);
  if (known) return known;
  const bytes = bytesOf(packed.base64);
  if (bytes.length !== packed.count * width(packed)) {
    throw new Error(
      `packed numbers: ${bytes.length} bytes do not hold ${packed.count} of type ${packed.type}`,
    );
  }
  const values = packed.type === "f64" ? doubles(bytes) : floats(bytes);
  decoded.set(packed, values);
  return values;
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function doubles(bytes: Uint8Array): Float64Array {
  if (littleEndian) return new Float64Array(bytes.buffer as ArrayBuffer);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

function floats(bytes: Uint8Array): Float32Array {
  if (littleEndian) return new Float32Array(bytes.buffer as ArrayBuffer);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}
