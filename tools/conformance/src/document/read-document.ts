import { readFile } from 'node:fs/promises';

/**
 * The text of a vector file.
 *
 * @throws an Error that says why it cannot be read, or a TypeError when it is not UTF-8
 */
export async function readDocument(file: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
}
