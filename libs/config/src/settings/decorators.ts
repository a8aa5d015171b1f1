import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';

import { Secret } from '../secret.js';
import { showValue } from '../show-value.js';

import { defineSetting, type Setting, type SettingsClass, type SettingType } from './setting.js';

/** What every kind of setting may say of itself beside its meaning. */
export interface SettingOptions {
  readonly unit?: string;
  readonly source?: Setting['source'];
  readonly nullable?: boolean;
  readonly keepsNull?: boolean;
  readonly defaultText?: string;
  /** Accepted, but not acted upon in this version: always, or for the values that it names. */
  readonly idle?: true | ((value: unknown) => boolean);
  /** What is said of a wrong value, where upstream has a text for it. */
  readonly message?: (value: unknown) => string;
}

/** A whole number from `min` (1 unless said otherwise) to `max`. */
export function Whole(
  meaning: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER, ...options }: SettingOptions & { min?: number; max?: number } = {},
): PropertyDecorator {
  const range =
    max === Number.MAX_SAFE_INTEGER ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
  const message = say(`an integer ${range}`, options);
  return setting({ kind: 'integer', min, max }, meaning, options, [
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  ]);
}

/** A finite number from `min` to `max`; `open` excludes `min` itself. */
export function Amount(
  meaning: string,
  {
    min = 0,
    max = Number.MAX_VALUE,
    open = false,
    ...options
  }: SettingOptions & { min?: number; max?: number; open?: boolean } = {},
): PropertyDecorator {
  const lower = `${open ? 'above' : 'of at least'} ${String(min)}`;
  const upper = max === Number.MAX_VALUE ? '' : ` and at most ${String(max)}`;
  const message = say(`a number ${lower}${upper}`, options);
  const isAbove = (value: unknown): boolean => !open || (value as number) !== min;
  return setting({ kind: 'number', min, max, open }, meaning, options, [
    IsNumber({ allowNaN: false, allowInfinity: false }, { message }),
    Min(min, { message }),
    Max(max, { message }),
    ValidateBy({ name: 'isAbove', validator: { validate: isAbove } }, { message }),
  ]);
}

/** True or false, and nothing that only looks like it. */
export function Flag(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  const message = say('true or false', options);
  return setting({ kind: 'boolean' }, meaning, options, [IsBoolean({ message })]);
}

/** A string that is not empty. */
export function Text(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  const message = say('a non-empty string', options);
  return setting({ kind: 'string' }, meaning, options, [IsString({ message }), MinLength(1, { message })]);
}

/** One of a few strings. */
export function Choice(meaning: string, values: readonly string[], options: SettingOptions = {}): PropertyDecorator {
  const message = say(`one of ${values.join(', ')}`, options);
  return setting({ kind: 'choice', values }, meaning, options, [IsIn(values, { message })]);
}

/** A list of strings that are not empty. */
export function TextList(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  const message = say('a list of non-empty strings', options);
  return setting({ kind: 'list' }, meaning, options, [
    IsArray({ message }),
    IsString({ each: true, message }),
    MinLength(1, { each: true, message }),
  ]);
}

/** A string that is never printed; see {@link Secret}. */
export function SecretText(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  return setting({ kind: 'secret' }, meaning, options, [
    asItIs,
    isSecret(false, say('a non-empty string', options, false)),
  ]);
}

/** A list of strings that are never printed. */
export function SecretList(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  const message = say('a list of non-empty strings', options, false);
  return setting({ kind: 'secrets' }, meaning, options, [asItIs, IsArray({ message }), isSecret(true, message)]);
}

/** A mapping whose keys are the settings of another class. */
export function Section(meaning: string, of: () => SettingsClass, options: SettingOptions = {}): PropertyDecorator {
  return setting({ kind: 'section', of }, meaning, options, [Type(of), ValidateNested()]);
}

/** A mapping whose keys are checked by whoever it is for. */
export function Free(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  const message = say('a mapping', options);
  return setting({ kind: 'free' }, meaning, options, [asItIs, IsObject({ message })]);
}

const asItIs = Transform(({ obj, key }) => (obj as Record<string, unknown>)[key]);

function isSecret(each: boolean, message: Say): PropertyDecorator {
  const validate = (value: unknown): boolean => value instanceof Secret;
  return ValidateBy({ name: 'isSecret', validator: { validate } }, { each, message });
}

type Say = (args: ValidationArguments) => string;

function say(expected: string, options: SettingOptions, echo = true): Say {
  return ({ property, value }) => {
    if (options.message) return options.message(value);
    const got = echo ? `, got ${showValue(value)}` : '';
    return `${property} must be ${expected}${got}`;
  };
}

function setting(
  type: SettingType,
  meaning: string,
  options: SettingOptions,
  rules: readonly PropertyDecorator[],
): PropertyDecorator {
  const { idle } = options;
  return (prototype, key) => {
    defineSetting(prototype, {
      name: String(key),
      type,
      meaning,
      unit: options.unit ?? null,
      source: options.source ?? null,
      nullable: options.nullable ?? false,
      keepsNull: options.keepsNull ?? false,
      defaultText: options.defaultText ?? null,
      isIdle: typeof idle === 'function' ? idle : () => idle === true,
    });
    if (options.nullable) IsOptional()(prototype, key);
    for (const rule of rules) rule(prototype, key);
  };
}
