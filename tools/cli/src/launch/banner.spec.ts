import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';

import { banner, type BannerFacts } from './banner.js';

const facts: BannerFacts = {
  url: 'http://127.0.0.1:8000',
  model: 'tiny',
  members: [
    { name: 'edge', role: 'edge', url: 'http://127.0.0.1:8000', ranks: undefined },
    { name: 'context-0', role: 'context', url: '127.0.0.1:8101', ranks: 4 },
  ],
  parentHeader: 'X-Parent',
};

const text = (more: Partial<BannerFacts> = {}): string => banner({ ...facts, ...more }, createColors(false));

describe('banner', () => {
  it('tells the address, the fleet, the header, and what to try', () => {
    expect(text()).toMatchInlineSnapshot(`
     "
     Roost is up at http://127.0.0.1:8000 (OpenAI API under http://127.0.0.1:8000/v1)
     ┌───────────┬─────────┬───────────────────────┬───────┐
     │ name      │ role    │ url                   │ ranks │
     ├───────────┼─────────┼───────────────────────┼───────┤
     │ edge      │ edge    │ http://127.0.0.1:8000 │ -     │
     │ context-0 │ context │ 127.0.0.1:8101        │ 4     │
     └───────────┴─────────┴───────────────────────┴───────┘
     Sub-agents name their parent session in X-Parent

     Try it:
       curl http://127.0.0.1:8000/v1/chat/completions -H 'content-type: application/json' -d '{"model":"tiny","messages":[{"role":"user","content":"Hello"}]}'
       npm run demo   shows sub-agent affinity, with the header and without

     Ctrl-C stops everything.
     "
    `);
  });

  it('gives the demo an address that is not the default one', () => {
    expect(text({ url: 'http://127.0.0.1:9000' })).toContain('npm run demo -- --url http://127.0.0.1:9000');
  });

  it('says when sub-agent affinity is off', () => {
    expect(text({ parentHeader: undefined })).toContain('no header: sub-agent affinity is off');
  });
});
