// What has come of an answer: bounded, and doubted before anybody reads it as text.
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../core/errors.ts';
import { Bytes } from './bytes.ts';

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface HttpReply extends Head {
  /** Of a refusal: empty where it is too long, or packed. */
  readonly text: string;
}

/** A longer refusal is none that could be shown; cut off, it could end in half a secret, which nobody would recognise. */
const refusalBytesMax = 65_536;

export class Answer {
  readonly #head: Head;
  readonly #isWanted: boolean;
  readonly #bytes = new Bytes();
  /** Whether more of it would be of any use. */
  wantsMore: boolean;

  /** @param isWanted it is what was asked for, which the transport bounds: not a refusal. */
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

  /** @throws ApiError where what was asked for is no text */
  reply(op: string): HttpReply {
    const bytes = this.#bytes.take();
    if (this.#isWanted) {
      refusePacked(op, this.#head);
      // What stands for bytes that are none would go on as if it had been said, in a password for one.
      if (!isUtf8(bytes)) throw unreadable(op, 'is not UTF-8');
    }
    return { ...this.#head, text: bytes.toString() };
  }
}

/** @throws ApiError for an answer in another form than was asked for */
export function refusePacked(op: string, head: Head): void {
  if (isPacked(head)) throw unreadable(op, 'is packed, and was not to be');
}

/** Whatever else follows from an answer that can't be read: it was done. */
const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`, { mayHaveHadEffect: true });

const isPacked = ({ headers: { 'content-encoding': encoding = '' } }: Head): boolean =>
  !/^(identity)?$/i.test(String(encoding).trim());
