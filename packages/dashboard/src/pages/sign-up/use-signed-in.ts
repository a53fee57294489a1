import { useState } from 'react'
import { client } from '../../data/client.ts'
import { explain } from '../../data/explain.ts'
import { useEnter } from '../../shell/use-enter.ts'

/**
 * Checks that this browser is signed in, and leads on. What is done is done: if the browser is not let in, that must
 * not look as if the password were not set.
 * @returns why the browser is not let in, or `null`, and the function that checks
 */
export function useSignedIn(): [
  problem: string | null,
  go: (pathOf: () => Promise<string>) => Promise<void>,
] {
  const enter = useEnter()
  const [problem, setProblem] = useState<string | null>(null)
  const go = async (pathOf: () => Promise<string>) => {
    let path: string
    try {
      await client.users.me()
      path = await pathOf()
    } catch (error) {
      setProblem(explain(error).what)
      return
    }
    enter(path)
  }
  return [problem, go]
}
