/** The thread of `syntax-checker.ts`: says that it is ready, then reads one text after another. */

import { parentPort } from 'node:worker_threads'
import { checkSyntax } from './syntax-check.ts'

const port = parentPort!
port.on('message', (code: string) => port.postMessage(checkSyntax(code)))
port.postMessage(null)
