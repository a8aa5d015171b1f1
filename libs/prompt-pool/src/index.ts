export { PromptPool, type PromptPoolOptions } from './prompt-pool.js';
export type { PromptTokens } from './prompt-task.js';
