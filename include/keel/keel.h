/* keel.h - everything of libkeel: simulation of constrained mechanical systems.
 *
 *   system.h       the system to simulate, in C             saddle.h, rank.h   the linear algebra
 *   equations.h    ... or written as formulas               diagnostics.h      messages
 *   mechanism.h    ... or as bodies, joints and forces; assemble.h, mobility.h   closing it, looking at it
 *   method.h, settings.h, run.h   how to simulate it; compare.h with many methods        status.h   outcomes
 *   simulation.h   ... step by step, led by the caller; checkpoint.h   ... and to go on later
 *
 * libkeel neither prints, exits nor touches files. Reading models and writing results is libkeel-files:
 * modelfile.h, results.h; native.h compiles equations to machine code.
 */
#ifndef KEEL_KEEL_H
#define KEEL_KEEL_H

#include "keel/assemble.h"
#include "keel/checkpoint.h"
#include "keel/compare.h"
#include "keel/diagnostics.h"
#include "keel/equations.h"
#include "keel/mechanism.h"
#include "keel/method.h"
#include "keel/mobility.h"
#include "keel/pattern.h"
#include "keel/rank.h"
#include "keel/run.h"
#include "keel/saddle.h"
#include "keel/settings.h"
#include "keel/simulation.h"
#include "keel/status.h"
#include "keel/system.h"
#include "keel/verify.h"

#endif
