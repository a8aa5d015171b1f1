/** Address of an edge that listens on its default port of this machine. */
export const defaultUrl = 'http://127.0.0.1:8000';
