/** Stands in every prompt that the tests send. No process may ever log it. */
export const PRIVATE_TEXT = 'Zyzzogeton';

/** The key that clusters sign with unless a test says otherwise. No process may ever log it. */
export const PRIVATE_KEY = 'end-to-end-key-kept-to-itself';

/** A prompt of about so many words (one or two tokens each), the same for the same topic and for no other. */
export function promptOn(topic: string, words = 24): string {
  const body = Array.from({ length: words }, (_, index) => `${topic}${String(index)}`);
  return [PRIVATE_TEXT, topic, ...body].join(' ');
}
