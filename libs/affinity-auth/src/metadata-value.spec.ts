// Owns: how text travels in gRPC metadata.
import type { IncomingHttpHeaders } from 'node:http2';

import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readMetadata, writeMetadata } from './metadata-value.js';

describe('text in metadata', () => {
  it('travels as it is when it is printable ASCII, as UTF-8 under -bin when it is not', () => {
    const metadata = new Metadata();
    writeMetadata(metadata, 'k', 'a b~');
    expect(metadata.getMap()).toEqual({ k: 'a b~' });
    writeMetadata(metadata, 'k', '\u00e9');
    expect(metadata.getMap()).toEqual({ 'k-bin': Buffer.from('\u00e9') });
    writeMetadata(metadata, 'k', ' padded');
    expect(metadata.getMap()).toEqual({ 'k-bin': Buffer.from(' padded') });
    writeMetadata(metadata, 'k', 'a');
    expect(metadata.getMap()).toEqual({ k: 'a' });
  });

  it('arrives as it was, also through HTTP/2 headers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        fc.pre(text.isWellFormed());
        const metadata = new Metadata();
        writeMetadata(metadata, 'k', text);
        expect(readMetadata(Metadata.fromHttp2Headers(metadata.toHttp2Headers() as IncomingHttpHeaders), 'k')).toBe(
          text,
        );
      }),
    );
  });

  it('is null when absent', () => {
    expect(readMetadata(new Metadata(), 'k')).toBeNull();
  });

  it('is refused when it is given twice, in either form or both', () => {
    const both = new Metadata();
    both.add('k', 'a');
    both.add('k-bin', Buffer.from('a'));
    const twice = new Metadata();
    twice.add('k', 'a');
    twice.add('k', 'a');
    for (const metadata of [both, twice]) {
      expect(() => readMetadata(metadata, 'k')).toThrow('metadata k must be given once');
    }
  });

  it('is refused when its bytes are not UTF-8', () => {
    const metadata = new Metadata();
    metadata.set('k-bin', Buffer.from([0xff]));
    expect(() => readMetadata(metadata, 'k')).toThrow('metadata k-bin must be UTF-8');
  });
});
