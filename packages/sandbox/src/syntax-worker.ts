/** The thread of `syntax-checker.ts`: it reports that it is ready, then checks one text after another. */

import { parentPort } from 'node:worker_threads'
import { checkSyntax } from './syntax-check.ts'

const port = parentPort!
port.on('message', (code: string) => port.postMessage(checkSyntax(code)))
port.postMessage(null)
