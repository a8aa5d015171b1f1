/** A stretch of a prompt that is encoded on its own: text, or the id of one control token. */
export type Segment = string | number;
