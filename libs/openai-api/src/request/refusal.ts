import { RoostError } from '@roost/protocol';

/** The error for a field that does not have the form that it must have. */
export function invalid(param: string, message: string): RoostError {
  return new RoostError('invalid_request', message, { param });
}

/** The error for a field that is well-formed but would change the answer in a way that no engine here can follow. */
export function unsupported(param: string, message: string): RoostError {
  return new RoostError('unsupported_parameter', message, { param });
}
