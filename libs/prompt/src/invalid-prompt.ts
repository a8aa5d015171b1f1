/** A request's messages or prompt cannot be rendered; the client has to change it. The message says what to change. */
export class InvalidPrompt extends Error {
  override readonly name = 'InvalidPrompt';

  /**
   * @param code as in the protocol's table of errors
   * @param param the path of the field at fault, e.g. `messages[2].content`
   */
  constructor(
    readonly code: 'invalid_request' | 'unsupported_parameter' | 'context_length_exceeded',
    message: string,
    readonly param: string,
  ) {
    super(message);
  }
}
