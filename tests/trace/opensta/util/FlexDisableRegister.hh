// Nothing to disable here.
#pragma once
