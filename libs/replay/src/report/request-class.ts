/** What reuse is told apart by: the first request of a main agent, the first one of a sub-agent, and all others. */
export type RequestClass = 'mainFirst' | 'subFirst' | 'rest';

/** All classes. */
export const REQUEST_CLASSES: readonly RequestClass[] = ['mainFirst', 'subFirst', 'rest'];
