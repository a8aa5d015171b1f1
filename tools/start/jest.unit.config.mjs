export { unit as default } from './jest-projects.mjs';
