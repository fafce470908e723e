import { Refusal } from '../../http/server.ts';

/** A user's mistake: 400. */
export const mistake = (text: string): Refusal => new Refusal(400, text);
