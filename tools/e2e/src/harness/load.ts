import { type Answer, chat } from './http-client.js';
import { promptOn } from './private-text.js';

/** What a load came to. */
export interface LoadResult {
  readonly answers: readonly Answer[];
  /** Answers, by number, that failed or were not what was expected. */
  readonly wrong: readonly string[];
}

/** A load of chat requests, half of them streamed. */
export interface LoadOptions {
  readonly url: string;
  readonly requests: number;
  /** At once. */
  readonly concurrency: number;
  /** Requests with the same number modulo this ask the same. */
  readonly prompts: number;
  readonly fields: object;
  /** The texts to expect, by prompt; nothing is compared without. */
  readonly expected?: readonly string[];
  /** Told the number of answers whenever there is one more. */
  readonly onAnswer?: (count: number) => void;
}

/** Sends the load; resolves when every request has ended. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { url, requests, concurrency, prompts, fields, expected, onAnswer } = options;
  const answers: Answer[] = [];
  const wrong: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < requests) {
      const number = next++;
      const prompt = number % prompts;
      const body = { ...fields, stream: number % 2 === 1 };
      const headers = { 'x-session-id': `load-${String(prompt)}` };
      try {
        const answer = await chat(url, promptOn(`load${String(prompt)}x`, 30), body, { headers });
        answers.push(answer);
        const right = answer.status === 200 && answer.error === null && answer.finishReason !== null;
        if (!right) wrong.push(`${String(number)}: ${answer.raw}`);
        else if (expected !== undefined && answer.text !== expected[prompt]) {
          wrong.push(`${String(number)}: ${answer.text}\ninstead of ${String(expected[prompt])}`);
        }
      } catch (error) {
        wrong.push(`${String(number)}: ${String(error)}`);
      }
      onAnswer?.(answers.length + wrong.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { answers, wrong };
}

/** The texts that a load's prompts are answered with when nothing goes wrong. */
export async function textsOf(url: string, prompts: number, fields: object): Promise<string[]> {
  const topics = Array.from({ length: prompts }, (_, prompt) => promptOn(`load${String(prompt)}x`, 30));
  const answers = await Promise.all(topics.map((topic) => chat(url, topic, fields)));
  return answers.map(({ text }) => text);
}
