export { e2e as default } from './jest-projects.mjs';
