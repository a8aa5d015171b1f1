/** Measures one work in this process, and prints the figures: `node --expose-gc measure.js NAME`. */
import { ALL_WORK } from './all-work.js';
import { measure } from './work.js';

const name = process.argv[2] ?? '';
const work = ALL_WORK.find((each) => each.name === name);
if (work === undefined) throw new Error(`there is no work of the name ${name}`);
console.log(JSON.stringify(measure(work)));
