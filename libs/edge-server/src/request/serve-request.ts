import { Inject, Injectable } from '@nestjs/common';
import { giveBack } from '@roost/held-bytes';
import { PinoLogger } from '@roost/observability';
import { answerId, type AnswerRenderer, createAnswerRenderer } from '@roost/openai-api';
import { RoostError } from '@roost/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Fleets } from '../fleets/fleets.js';
import { knownModels } from '../fleets/models.js';
import { AnswerWriter } from '../http/answer-writer.js';
import { explainHeaders } from '../http/explain-headers.js';
import { asRoostError } from '../legs/run-leg.js';
import { type AnswerSink, runLegs } from '../legs/run-legs.js';

import { Admission } from './admission.js';
import { PromptTokenizer } from './prompt-tokenizer.js';
import { receive } from './receive.js';
import { RequestObserver } from './request-observer.js';
import { REQUEST_OPTIONS, type RequestOptions } from './request-options.js';
import { RunningRequests } from './running-requests.js';
import type { ServedRequest } from './served-request.js';

/**
 * A request's life on the edge, in order: receive and identify (`receive`), admit, tokenise where placement needs it, run
 * the context leg, hand off, run the generation leg (`runLegs`), relay, settle.
 */
@Injectable()
export class ServeRequest {
  private readonly running = new RunningRequests();

  constructor(
    private readonly fleets: Fleets,
    @Inject(REQUEST_OPTIONS) private readonly options: RequestOptions,
    private readonly admission: Admission,
    private readonly tokenizer: PromptTokenizer,
    private readonly observer: RequestObserver,
    private readonly logger: PinoLogger,
  ) {}

  /**
   * Serves one request to its end. Whatever happens, what it took is given back.
   *
   * @throws RoostError when nothing of the answer has been sent yet
   */
  async serve(endpoint: 'chat' | 'completions', incoming: FastifyRequest, reply: FastifyReply): Promise<void> {
    const arrived = performance.now();
    const request = this.receive(endpoint, incoming, reply);
    this.observer.begin(request, incoming.headers, arrived);
    const writer = new AnswerWriter(reply.raw);
    const renderer = rendererFor(request);
    void reply.header('x-roost-request-id', request.id);
    try {
      this.requireKnownModel(request);
      await this.admit(request);
      await this.tokenizer.tokenize(request);
      const exchange = { writer, reply };
      const { stream } = request.client;
      const sink = stream ? this.eventSink(request, renderer, exchange) : this.wholeSink(request, renderer, exchange);
      await runLegs(this.options.legs, this.fleets, request, sink);
    } catch (thrown) {
      const error = asRoostError(thrown);
      request.record.error = error;
      if (!writer.begun) throw thrown;
      writer.end(renderer.failure(error));
    } finally {
      request.settle();
      this.observer.end(request, arrived, writer.begun);
      giveBackBody(incoming);
    }
  }

  /** Resolves when no request runs. */
  idle(): Promise<void> {
    return this.running.idle();
  }

  /** Ends every request that runs, and any that comes. */
  abortAll(): void {
    this.running.abortAll(new RoostError('no_instance', 'the edge is shutting down: retry later'));
  }

  private receive(endpoint: 'chat' | 'completions', incoming: FastifyRequest, reply: FastifyReply): ServedRequest {
    try {
      return receive(endpoint, incoming, reply, this.options.receive, this.running);
    } catch (thrown) {
      giveBackBody(incoming);
      // What cannot be read has no id and no figures, but whoever wonders about 400s finds it in the log.
      const { code, param } = asRoostError(thrown);
      this.logger.info({ endpoint, outcome: code, param: param?.slice(0, 100) ?? null }, 'request refused');
      throw thrown;
    }
  }

  private async admit(request: ServedRequest): Promise<void> {
    const since = performance.now();
    const place = await this.admission.enter(request.signal);
    request.record.admissionMs = performance.now() - since;
    request.owe(() => place.leave());
  }

  private requireKnownModel({ client }: ServedRequest): void {
    const models = knownModels(this.fleets);
    if (models.size === 0 || models.has(client.model)) return;
    const known = [...models].join(', ');
    throw new RoostError(
      'model_not_found',
      `the model ${JSON.stringify(client.model)} is not served here; ${known} is`,
      {
        param: 'model',
      },
    );
  }

  /** Gives an answer out as server-sent events. */
  private eventSink(request: ServedRequest, renderer: AnswerRenderer, { writer, reply }: Exchange): AnswerSink {
    const begin = (): void => {
      reply.hijack();
      writer.beginEvents(this.headersFor(request));
      // Nothing has been written before, so there is nothing to wait for.
      void writer.write(renderer.opening(), request.signal);
    };
    return {
      text: (text) => {
        if (!writer.begun) begin();
        request.record.firstTextAt ??= performance.now();
        return writer.write(renderer.delta(text), request.signal);
      },
      end: (finishReason, usage) => {
        if (!writer.begun) begin();
        request.record.endedAt = performance.now();
        writer.end(renderer.ending(finishReason, usage));
      },
    };
  }

  /** Gives an answer out as one JSON text. */
  private wholeSink(request: ServedRequest, renderer: AnswerRenderer, { writer, reply }: Exchange): AnswerSink {
    let whole = '';
    return {
      text: (text) => {
        whole += text;
        return null;
      },
      end: (finishReason, usage) => {
        reply.hijack();
        writer.sendJson(renderer.whole(whole, finishReason, usage), this.headersFor(request));
      },
    };
  }

  private headersFor(request: ServedRequest): Record<string, string> {
    const explained = this.options.explainHeaders ? explainHeaders(request) : {};
    return { 'x-roost-request-id': request.id, ...explained };
  }
}

/** Whatever still carries the bytes keeps them. */
function giveBackBody({ body }: FastifyRequest): void {
  if (Buffer.isBuffer(body)) giveBack(body);
}

function rendererFor({ client, id }: ServedRequest): AnswerRenderer {
  const { endpoint, model, includeUsage } = client;
  const created = Math.floor(Date.now() / 1_000);
  return createAnswerRenderer({ endpoint, id: answerId(endpoint, id), created, model, includeUsage });
}

interface Exchange {
  readonly writer: AnswerWriter;
  readonly reply: FastifyReply;
}
