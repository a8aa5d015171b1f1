import { asList, Fields } from '../document/fields.js';
import type { Mismatch, VectorCase } from '../vector-format.js';

/** The cases of a file that is a list of them, each with a name or without; throws a ShapeError when it is no list. */
export function listOfCases(document: unknown, replay: (fields: Fields) => readonly Mismatch[]): readonly VectorCase[] {
  return asList(document, 'file').map((value, index) => ({
    label: labelOf(value, index),
    replay: () => replay(new Fields(value, 'case')),
  }));
}

function labelOf(value: unknown, index: number): string {
  const label = `case ${String(index)}`;
  if (typeof value !== 'object' || value === null || !('name' in value)) return label;
  return typeof value.name === 'string' ? `${label} (${value.name})` : label;
}
