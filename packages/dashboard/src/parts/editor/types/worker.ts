/** The worker that knows the types of `$`. The build makes it a file of its own. */

import { Checker } from './checker.ts'
import type { Asked, Question, Told, TypeFiles } from './messages.ts'

/** The build puts in everything that the types of `$` consist of. */
declare const TYPE_FILES: TypeFiles

type Scope = {
  postMessage(told: Told): void
  onmessage: ((event: { data: Asked }) => void) | null
}

const scope = globalThis as unknown as Scope
const checker = new Checker(TYPE_FILES.files, TYPE_FILES.libraries)

scope.onmessage = ({ data: { id, question } }) => {
  try {
    scope.postMessage({ id, result: answerTo(question) })
  } catch (error) {
    scope.postMessage({ id, failure: String(error) })
  }
}

function answerTo(question: Question) {
  switch (question.about) {
    case 'names':
      return checker.suggest(question.code, question.offset)
    case 'name':
      return checker.describe(question.code, question.offset, question.name)
    case 'meaning':
      return checker.explain(question.code, question.offset)
    case 'errors':
      return checker.check(question.code)
  }
}

// The first answer reads all types, which takes a while: nobody should wait for that.
checker.check('$.Strategy')
scope.postMessage({ ready: true })
