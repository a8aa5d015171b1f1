import { RoostError } from '@roost/protocol';

/** The body of every answer that is not a success. */
export interface ErrorEnvelope {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The request field at fault. */
    readonly param: string | null;
    /** As in the protocol's table of errors. */
    readonly code: string;
  };
}

/** The envelope of an error. One without a place in the table of errors is told as `internal`, and nothing of its text. */
export function errorEnvelope(error: unknown): ErrorEnvelope {
  const known = error instanceof RoostError ? error : new RoostError('internal', 'Internal server error');
  return { error: { message: known.message, type: known.kind.type, param: known.param, code: known.code } };
}
