import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * An action of a button, once at a time: the button learns that it is busy only with the next drawing, and a double
 * click is faster.
 * @param after called once the service has answered or refused; the action counts as done after what it returns
 */
export function useOnce<Answer>(act: () => Promise<Answer>, after?: () => Promise<unknown> | undefined) {
  const isUnderWay = useRef(false)
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: act,
    onSettled: async () => {
      try {
        await after?.()
      } finally {
        isUnderWay.current = false
      }
    },
    // What was answered is shown while the button is, and kept no longer.
    gcTime: 0,
  })
  const run = () => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    mutate()
  }
  return { run, isBusy: isPending, error, answer: data }
}
