// The first import of the program: what the others do when they are loaded, an old Node.js may not be able to do.
import { requireNode } from '@roost/launch';

requireNode('roost');
