/* SPDX-License-Identifier: MIT */
/* Model of runtime/src/send/recall.c: the consumer of a ring that keeps the newest. It runs at any time while blocks are
 * overwritten, and each word that it reads is a step of its own. It must read exactly the event after those that it has
 * read or reported lost. A model includes this after blocks.pml and defines
 *   IS_SETTLED(number)   is_settled() in recall.c
 *   IS_OVER              nothing is recorded any more
 *   ACCEPTED             events that were accepted */

#if BREAK == 2 /* the check is not looked at */
#define IS_SOUND true
#else
#define IS_SOUND (check == CHECK(head_number, head_events))
#endif
#define NOT_OPENED 255
#define GIVEN_UP(behind) (behind >= BLOCKS)

active proctype consumer() {
    byte tail_number, tail = NOT_OPENED, behind, head_number, events, head_events, word, last, length;
    short check;
    bool over, settled;

    do
    :: d_step { /* find_block() */
           over = IS_OVER;
           behind = number - tail_number
       };
       if
       :: d_step { GIVEN_UP(behind) -> tail_number = tail_number + behind - (BLOCKS - 1); tail = NOT_OPENED; behind = 0 }

       :: !GIVEN_UP(behind) && tail == NOT_OPENED -> /* open_block() */
           check = block_check[BLOCK(tail_number)];
           head_number = block_number[BLOCK(tail_number)];
           head_events = block_events[BLOCK(tail_number)];
           atomic {
               if
               :: head_number == tail_number && head_number != 0 && IS_SOUND && !GIVEN_UP(number - tail_number) ->
                   /* peek_loss(): the difference is reported lost. A block that its context gave up, as another one
                    * recorded meanwhile, may say fewer. */
                   events = (head_events > events -> head_events : events);
                   tail = 0
               :: else ->
                   if
                   :: behind == 0 && over -> break
                   :: behind != 0 && !GIVEN_UP(number - tail_number) -> tail_number++
                   :: else
                   fi
               fi;
               check = 0; head_number = 0; head_events = 0; behind = 0
           }

       :: !GIVEN_UP(behind) && tail != NOT_OPENED -> /* copy_record() */
           settled = behind != 0 && IS_SETTLED(tail_number);
           word = (tail < BLOCK_CELLS -> first[CELL(tail_number, tail % BLOCK_CELLS)] : 0);
           d_step {
               length = (word >= LONGER && word != CLOCK -> 2 : 1);
               last = (tail + length <= BLOCK_CELLS -> second[CELL(tail_number, (tail + length - 1) % BLOCK_CELLS)] : 0)
           };
           atomic {
               if
#if BREAK == 1 /* it is not looked whether the block was given up meanwhile */
               :: false
#else
               :: GIVEN_UP(number - tail_number)
#endif
               :: else ->
                   if
                   :: word == CLOCK -> tail++
                   :: word != 0 && word != CLOCK ->
                       assert(last == events + 1 && word == (length == 2 -> LONGER + last : last)); /* complete, and in order */
                       events++;
                       tail = tail + length
                   :: word == 0 && settled -> tail_number++; tail = NOT_OPENED
                   :: word == 0 && !settled && over && behind == 0 -> break
                   :: else
                   fi
               fi;
               word = 0; last = 0; length = 0; behind = 0; settled = false
           }
       fi;
       over = false
    od;
    assert(events == ACCEPTED)
}
