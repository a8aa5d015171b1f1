export { KeyIndex } from './key-index.js';
export { NO_SLOT, SlotLinks, SlotList } from './slot-list.js';
export { ownCopy } from './own-copy.js';
