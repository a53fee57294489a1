import { useQueryClient } from '@tanstack/react-query'
import { ApiError, type ApprovalInList, ConnectionError } from '@tickwright/client'
import { useRef, useState } from 'react'
import { targetQuery } from '../../data/approvals.ts'
import { client } from '../../data/client.ts'
import { isAboutMoney, type Target } from '../../data/targets.ts'
import { takeOver } from './approvals.ts'

export type Decision = 'approve' | 'reject'

/** `reading`: the answer was lost, and this page reads what became of the decision. */
export type Phase =
  | { is: 'idle' }
  | { is: 'busy'; with: Decision }
  | { is: 'confirming'; target: Target }
  | { is: 'reading' }
  | { is: 'failed'; error: unknown }
  | { is: 'undecided' }

const pauseMs = 2000

/** Decides about one approval, once, however often it is asked to. */
export function useDecision(approval: Pick<ApprovalInList, 'id' | 'strategy_id' | 'change'>) {
  const { id } = approval
  const queries = useQueryClient()
  const [phase, setPhase] = useState<Phase>({ is: 'idle' })
  // State changes only with the next drawing, and a key can come twice before that.
  const underWay = useRef(false)

  const alone = async (act: () => Promise<Phase>) => {
    if (underWay.current) return
    underWay.current = true
    try {
      setPhase(await act())
    } catch (error) {
      setPhase({ is: 'failed', error })
    } finally {
      underWay.current = false
    }
  }

  const send = async (what: Decision): Promise<Phase> => {
    setPhase({ is: 'busy', with: what })
    try {
      takeOver(queries, await client.approvals[what](id))
      return { is: 'idle' }
    } catch (error) {
      if (!isLost(error)) {
        // It may have ended in another way: in another tab, by its time, or by a newer action.
        await queries.invalidateQueries({ queryKey: ['approvals'] })
        throw error
      }
    }
    setPhase({ is: 'reading' })
    return readAgain()
  }

  /** Only the service knows whether a decision arrived whose answer was lost. */
  const readAgain = async (): Promise<Phase> => {
    for (;;) {
      try {
        const approval = await client.approvals.get(id)
        takeOver(queries, approval)
        return { is: approval.status === 'PENDING' ? 'undecided' : 'idle' }
      } catch (error) {
        if (!isLost(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  return {
    phase,
    reject: () => alone(() => send('reject')),
    /** Asks once more if money is at risk. That is read at this moment: a bot may have become a live one. */
    approve: () =>
      alone(async () => {
        setPhase({ is: 'busy', with: 'approve' })
        const target = await queries.fetchQuery({ ...targetQuery(approval), staleTime: 0 })
        if (target !== null && isAboutMoney(target)) return { is: 'confirming', target }
        return send('approve')
      }),
    confirm: () => alone(() => send('approve')),
    cancel: () => setPhase({ is: 'idle' }),
  }
}

function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
}
