import { isObject } from '../json/json-object.js';

import { invalid, unsupported } from './refusal.js';

/** Looks at one field that is present and not null. Throws a RoostError that names the field, or lets it pass. */
export type FieldCheck = (value: unknown, field: string) => void;

/** The field's value is looked at where it is used, or makes no difference to the answer whatever it is. */
export const anything: FieldCheck = () => undefined;

/** The field must be a boolean. */
export const aBoolean: FieldCheck = (value, field) => {
  if (typeof value !== 'boolean') throw invalid(field, `${field} must be a boolean`);
};

/** The field must be a string. */
export const aString: FieldCheck = (value, field) => {
  if (typeof value !== 'string') throw invalid(field, `${field} must be a string`);
};

/** The field must be an object. */
export const anObject: FieldCheck = (value, field) => {
  if (!isObject(value)) throw invalid(field, `${field} must be an object`);
};

/** No engine here can follow the field. */
export const never: FieldCheck = (_, field) => {
  throw unsupported(field, `${field} is not supported`);
};

/** Only these values of the field leave the answer as it is. */
export function only(...neutral: readonly (string | number | boolean)[]): FieldCheck {
  const list = neutral.map((value) => JSON.stringify(value)).join(' or ');
  return (value, field) => {
    if (!neutral.some((allowed) => allowed === value)) {
      throw unsupported(field, `${field} is supported only as ${list}`);
    }
  };
}

/** Only an empty list, object or string leaves the answer as it is. */
export const empty: FieldCheck = (value, field) => {
  const content = typeof value === 'object' && value !== null ? Object.keys(value) : value;
  if (content !== '' && !(Array.isArray(content) && content.length === 0)) {
    throw unsupported(field, `${field} is not supported`);
  }
};
