export { type ConformanceResult, runConformance } from './run-conformance.js';
