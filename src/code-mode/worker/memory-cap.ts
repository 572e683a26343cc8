/** A bound on the memory of WebAssembly in this thread: the limit of the engine alone lets a script have many times as much. */

export interface MemoryCap {
  /** Whether memory was refused. The engine asks for more than it needs first, so this alone is no failure. */
  isReached: boolean;
}

const pageBytes = 65_536;

/** Must run before the engine is loaded. */
export function capMemory(maxBytes: number): MemoryCap {
  const cap: MemoryCap = { isReached: false };
  const memory = WebAssembly.Memory.prototype;
  const { grow } = memory;
  memory.grow = function (this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes <= maxBytes) return grow.call(this, pages);
    cap.isReached = true;
    throw new RangeError('no more memory');
  };
  return cap;
}
