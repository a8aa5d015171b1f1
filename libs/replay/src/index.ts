export { generateLines, generateTrace } from './generator/generate-trace.js';
export { DEFAULT_TRAFFIC, TRAFFIC_RANGES, type TrafficOptions } from './generator/traffic-options.js';
export type { Dialect, GeneratedLine } from './trace/generated/generated-line.js';
export { ALL_POLICIES, POLICIES } from './policies/policies.js';
export type { HoldReport } from './report/hold-report.js';
export type { FleetPolicy, Policy, SubagentKey } from './policies/policy.js';
export type { ReplayReport } from './report/replay-report.js';
export { type ByClass, classOf, REQUEST_CLASSES, type RequestClass } from './report/request-class.js';
export type { Spread } from './report/spread.js';
export { type ClassReport, mainReuse } from './report/tally.js';
export { DEFAULT_REPLAY_OPTIONS, ReplayOptionError, type ReplayOptions } from './simulation/replay-options.js';
export { type ReplayProgress, replayTrace } from './simulation/replay-trace.js';
export { readTrace } from './trace/read-trace.js';
export { TraceReader } from './trace/trace-reader.js';
export { repeatTrace } from './trace/repeat-trace.js';
export { TraceError } from './trace/trace-error.js';
export type { TraceRow } from './trace/trace-row.js';
export {
  conversationOf,
  parentConversationOf,
  rootOf,
  type Trace,
  type TraceAgent,
  type TraceRequest,
  type TraceSession,
} from './trace/trace.js';
export { type Arrival, Measurement } from './report/measurement.js';
export { type Clock, CLOCKS, type PerOracle, type Reuse, type Scope, SCOPES } from './oracle/reuse.js';
export { SessionFlow, type Step, type StepPrompt } from './simulation/session-flow.js';
export { sessionStarts } from './simulation/session-starts.js';
