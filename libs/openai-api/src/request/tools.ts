import { isObject } from '../json/json-object.js';

import { invalid, unsupported } from './refusal.js';

/**
 * Checks that `tools` is a list of functions with names; their parameters go to the prompt as they are.
 *
 * @throws RoostError naming the tool at fault
 */
export function checkTools(tools: unknown, field: string): void {
  if (!Array.isArray(tools)) throw invalid(field, `${field} must be a list`);
  tools.forEach((tool: unknown, index) => {
    checkTool(tool, `${field}[${String(index)}]`);
  });
}

/**
 * Checks that a message's `tool_calls` is a list of calls of functions.
 *
 * @throws RoostError naming the call at fault
 */
export function checkToolCalls(calls: unknown, field: string): void {
  if (!Array.isArray(calls)) throw invalid(field, `${field} must be a list`);
  calls.forEach((call: unknown, index) => {
    checkToolCall(call, `${field}[${String(index)}]`);
  });
}

function checkTool(tool: unknown, path: string): void {
  const target = requireFunction(tool, path);
  if (target.name === '') throw invalid(`${path}.function.name`, `${path}.function.name must not be empty`);
  const parameters = target.fields['parameters'] ?? {};
  if (!isObject(parameters))
    throw invalid(`${path}.function.parameters`, `${path}.function.parameters must be an object`);
}

function checkToolCall(call: unknown, path: string): void {
  const { fields } = requireFunction(call, path);
  if (isObject(call) && typeof call['id'] !== 'string') throw invalid(`${path}.id`, `${path}.id must be a string`);
  if (typeof fields['arguments'] !== 'string') {
    throw invalid(`${path}.function.arguments`, `${path}.function.arguments must be a string`);
  }
}

function requireFunction(value: unknown, path: string): { name: string; fields: Readonly<Record<string, unknown>> } {
  if (!isObject(value)) throw invalid(path, `${path} must be an object`);
  if (typeof value['type'] === 'string' && value['type'] !== 'function') {
    throw unsupported(`${path}.type`, `${path}.type is supported only as "function"`);
  }
  if (value['type'] !== 'function') throw invalid(`${path}.type`, `${path}.type must be "function"`);
  const fields = value['function'];
  if (!isObject(fields)) throw invalid(`${path}.function`, `${path}.function must be an object`);
  if (typeof fields['name'] !== 'string')
    throw invalid(`${path}.function.name`, `${path}.function.name must be a string`);
  return { name: fields['name'], fields };
}
