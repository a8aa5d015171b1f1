/** The engine cannot do what a request asks; the client has to change it. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';

  /**
   * @param code as in the protocol's table of errors
   * @param message says what to change
   * @param param the request field at fault, or null
   */
  constructor(
    readonly code: 'invalid_request' | 'unsupported_parameter' | 'context_length_exceeded',
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** A KV cache that arrived is not the one that was asked for, or does not fit this engine. The message says which. */
export class KvMismatch extends Error {
  override readonly name = 'KvMismatch';
}
