import { ConversationRouter, createRouterRegistry, type Placement } from '@roost/fleet-router';

import { compare } from '../compare.js';
import type { Fields } from '../document/fields.js';
import { parseJson } from '../document/parse-json.js';
import { ShapeError } from '../document/shape-error.js';
import type { Mismatch, VectorFormat } from '../vector-format.js';

import { listOfCases } from './list-of-cases.js';

/** `conversation-router*.json`: operations on the conversation router of one fleet, requests with ids only (reference 2.4). */
export const conversationRouter: VectorFormat = {
  prefix: 'conversation-router',
  parse: parseJson,
  cases: (document) => listOfCases(document, replay),
};

/** One router and what its requests got, by their numbers in the file. */
interface Run {
  readonly router: ConversationRouter;
  readonly placements: Map<unknown, Placement | null>;
}

function replay(fields: Fields): readonly Mismatch[] {
  const run: Run = { router: makeRouter(fields), placements: new Map() };
  const bindings = fields.list('final_bindings');
  const load = fields.any('final_load');
  const mismatches = fields.objects('ops').flatMap((op, index) => play(run, op, `op ${String(index)}`));
  return [
    ...mismatches,
    ...compare('final_bindings', bindings, [...run.router.bindings()]),
    ...compare('final_load', load, Object.fromEntries(run.router.loads())),
  ];
}

function makeRouter(fields: Fields): ConversationRouter {
  const args = { max_sessions: fields.number('max_sessions') };
  const { router } = createRouterRegistry().create('conversation', args, { servers: fields.texts('servers') });
  if (!(router instanceof ConversationRouter)) throw new TypeError('the registry made another router');
  return router;
}

function play(run: Run, op: Fields, at: string): readonly Mismatch[] {
  const kind = op.text('op');
  switch (kind) {
    case 'route':
      return route(run, op, at);
    case 'finish':
      finish(run, op);
      return [];
    case 'add_server':
      run.router.addServer(op.text('server'));
      return [];
    case 'remove_server':
      run.router.removeServer(op.text('server'));
      return [];
    default:
      throw new ShapeError(`${op.where}.op must be route, finish, add_server or remove_server, not ${kind}`);
  }
}

function route({ router, placements }: Run, op: Fields, at: string): readonly Mismatch[] {
  const exclude = op.textOrNull('exclude');
  const placement = router.route(
    {
      conversationId: op.textOrNull('conversation_id'),
      subagentAffinityId: op.textOrNull('subagent_affinity_id'),
      textChars: op.number('text_chars'),
      text: () => {
        throw new ShapeError(`${op.where} has no id, and no text to route it by`);
      },
      promptTokenIds: null,
    },
    new Set(exclude === null ? [] : [exclude]),
  );
  placements.set(op.any('request'), placement);
  return compare(`${at} (request ${String(op.any('request'))}), server`, op.any('server'), placement?.server ?? null);
}

function finish({ router, placements }: Run, op: Fields): void {
  const placement = placements.get(op.any('request'));
  if (placement === undefined) throw new ShapeError(`${op.where}.request was not routed before`);
  // A request without a candidate reserved nothing.
  if (placement !== null) router.finish(placement, true);
}
