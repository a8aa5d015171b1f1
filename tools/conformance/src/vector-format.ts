/** Something that came out otherwise than the vector says. */
export interface Mismatch {
  /** What came out, and at which step of the case, e.g. `step 3, assignments`. */
  readonly at: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** One case of a vector file. */
export interface VectorCase {
  /** The case's place in its file and, where it has one, its name. */
  readonly label: string;
  /**
   * Plays the case against the production code; the case passes when nothing mismatches.
   *
   * @throws ShapeError when the case is not made as its format says
   */
  readonly replay: () => readonly Mismatch[];
}

/** A format of vector files. */
export interface VectorFormat {
  /** What the base names of its files begin with. */
  readonly prefix: string;
  /** The value of a file's text; throws a SyntaxError when it is not JSON. */
  readonly parse: (text: string) => unknown;
  /** The cases of a file; throws a ShapeError when the file as a whole is not made as its format says. */
  readonly cases: (document: unknown) => readonly VectorCase[];
}
