// Collects bytes as they arrive. They may arrive as millions of pieces of one byte, and a list of these would take a
// hundred times their size.

const roomMin = 4_096;
const nothing: Buffer = Buffer.alloc(0);

/** One growing buffer. A single piece is held without a copy. */
export class Bytes {
  #held = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#held = piece;
    else {
      if (length > this.#held.length) this.#grow(Math.max(roomMin, length * 2));
      piece.copy(this.#held, this.#length);
    }
    this.#length = length;
  }

  take(): Buffer {
    const all = this.#held.subarray(0, this.#length);
    this.#held = nothing;
    this.#length = 0;
    return all;
  }

  #grow(room: number): void {
    const roomier = Buffer.allocUnsafe(room);
    this.#held.copy(roomier, 0, 0, this.#length);
    this.#held = roomier;
  }
}
