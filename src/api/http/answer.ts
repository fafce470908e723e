// The body of an answer: bounded, and checked before it is decoded as text.
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../core/errors.ts';
import { Bytes } from './bytes.ts';

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface HttpReply extends Head {
  /** Empty for a refusal that is too long or compressed. */
  readonly text: string;
}

/** A longer refusal is not shown: if cut, it could end in half a secret, which the scrubber would not recognise. */
const refusalBytesMax = 65_536;

export class Answer {
  readonly #head: Head;
  readonly #isWanted: boolean;
  readonly #bytes = new Bytes();
  wantsMore: boolean;

  /** @param isWanted the answer is a success, not a refusal; the transport limits its size */
  constructor(head: Head, isWanted: boolean) {
    this.#head = head;
    this.#isWanted = isWanted;
    this.wantsMore = isWanted || !isPacked(head);
  }

  add(piece: Buffer): void {
    if (!this.wantsMore) return;
    this.#bytes.add(piece);
    if (this.#isWanted || this.#bytes.length <= refusalBytesMax) return;
    this.wantsMore = false;
    this.#bytes.take();
  }

  /** @throws ApiError if a wanted answer is not text */
  reply(op: string): HttpReply {
    const bytes = this.#bytes.take();
    if (this.#isWanted) {
      refusePacked(op, this.#head);
      // Decoding would replace invalid bytes without notice, even in a password.
      if (!isUtf8(bytes)) throw unreadable(op, 'is not UTF-8');
    }
    return { ...this.#head, text: bytes.toString() };
  }
}

/** @throws ApiError for a compressed answer, which no request accepts */
export function refusePacked(op: string, head: Head): void {
  if (isPacked(head)) throw unreadable(op, 'is compressed, which was not asked for');
}

/** The answer can't be read, but the call was carried out. */
const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`, { mayHaveHadEffect: true });

const isPacked = ({ headers: { 'content-encoding': encoding = '' } }: Head): boolean =>
  !/^(identity)?$/i.test(String(encoding).trim());
