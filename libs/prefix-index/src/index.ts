export { type BlockHashes } from './block-hashes.js';
export { type FeedMessage, type FeedStep, OwnerFeed } from './owner-feed.js';
export { type BlockChange, type Prediction, PrefixIndex, type PrefixIndexStats } from './prefix-index.js';
export { NO_MATCH, type PrefixMatch } from './prefix-match.js';
export { type Session, SessionIndex, type SessionMatch } from './session-index.js';
