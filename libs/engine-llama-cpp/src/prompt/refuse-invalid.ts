import { EngineRefusal } from '@roost/engine';
import { InvalidPrompt } from '@roost/prompt';

/** What `read` gives. @throws EngineRefusal in place of an InvalidPrompt; any other error as it is */
export function refuseInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidPrompt)) throw error;
    throw new EngineRefusal(error.code, error.message, error.param);
  }
}
