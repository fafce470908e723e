// Bytes as they arrive: in few pieces or in millions of one byte each, which would weigh a hundred times what they hold.

const roomMin = 4_096;
const nothing: Buffer = Buffer.alloc(0);

/** Holds what arrives in one piece, which grows. A first piece that stays alone is not copied. */
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

  /** All of it; then it is empty. */
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
